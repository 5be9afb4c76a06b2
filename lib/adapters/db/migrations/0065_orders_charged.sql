DROP INDEX "orders_plan";--> statement-breakpoint
CREATE INDEX "orders_plan" ON "orders" USING btree ("plan_id",coalesce(charged_at, created_at));