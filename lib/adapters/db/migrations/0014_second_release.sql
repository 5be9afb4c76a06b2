CREATE TABLE "test_calls" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"builder" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	"answered_at" timestamp with time zone NOT NULL,
	"request_key" text
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "test_of" text;--> statement-breakpoint
ALTER TABLE "holds" ADD COLUMN "plan_version" integer;--> statement-breakpoint
ALTER TABLE "test_calls" ADD CONSTRAINT "test_calls_builder_accounts_address_fk" FOREIGN KEY ("builder") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_calls" ADD CONSTRAINT "test_calls_request_key_request_reports_request_key_fk" FOREIGN KEY ("request_key") REFERENCES "public"."request_reports"("request_key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "test_calls_request" ON "test_calls" USING btree ("request_key");--> statement-breakpoint
CREATE INDEX "test_calls_open" ON "test_calls" USING btree ("builder","sent_at") WHERE request_key is null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_test_of" ON "accounts" USING btree ("test_of") WHERE test_of is not null;