CREATE TABLE "request_reports" (
	"request_key" text PRIMARY KEY NOT NULL,
	"builder" text NOT NULL,
	"agent_request_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"plan_id" text,
	"agent_id" text,
	"http_status" smallint NOT NULL,
	"money_status" text NOT NULL,
	"reason" text,
	"verify_ms" real,
	"work_ms" real,
	"settle_ms" real
);
--> statement-breakpoint
ALTER TABLE "request_reports" ADD CONSTRAINT "request_reports_builder_accounts_address_fk" FOREIGN KEY ("builder") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "request_reports_builder" ON "request_reports" USING btree ("builder","at");--> statement-breakpoint
CREATE INDEX "request_reports_at" ON "request_reports" USING btree ("at");