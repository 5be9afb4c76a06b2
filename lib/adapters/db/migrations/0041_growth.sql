DROP INDEX "holds_account";--> statement-breakpoint
DROP INDEX "holds_builder";--> statement-breakpoint
DROP INDEX "transfers_expired";--> statement-breakpoint
CREATE INDEX "holds_account_unposted" ON "holds" USING btree ("account","created_at","agent_request_id") WHERE state <> 'posted';--> statement-breakpoint
CREATE INDEX "settlements_request" ON "settlements" USING hash ("agent_request_id");--> statement-breakpoint
CREATE INDEX "transfers_rare" ON "transfers" USING btree ("plan_id","account","kind","created_at") WHERE kind in ('mint', 'expire', 'refund', 'owe', 'repay', 'restore', 'forgive', 'return');