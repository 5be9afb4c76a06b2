CREATE TABLE "counted_requests" (
	"request_key" text NOT NULL,
	"account" text NOT NULL,
	"role" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"plan_id" text,
	"agent_id" text,
	"is_agent_reported" boolean NOT NULL,
	"is_test" boolean NOT NULL,
	"status" text NOT NULL,
	"is_delivered" boolean NOT NULL,
	"credits" numeric(78,0) NOT NULL,
	CONSTRAINT "counted_requests_request_key_role_pk" PRIMARY KEY("request_key","role")
);
--> statement-breakpoint
CREATE TABLE "request_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"is_settled" boolean NOT NULL,
	"refs" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "request_sums" (
	"account" text NOT NULL,
	"role" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"plan_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"is_agent_reported" boolean NOT NULL,
	"is_test" boolean NOT NULL,
	"status" text NOT NULL,
	"n" bigint NOT NULL,
	"delivered" bigint NOT NULL,
	"credits" numeric(78,0) NOT NULL,
	CONSTRAINT "request_sums_account_role_hour_plan_id_agent_id_is_agent_reported_is_test_status_pk" PRIMARY KEY("account","role","hour","plan_id","agent_id","is_agent_reported","is_test","status")
);
--> statement-breakpoint
CREATE TABLE "request_sums_state" (
	"id" smallint PRIMARY KEY NOT NULL,
	"closed_before" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "summed_accounts" (
	"account" text NOT NULL,
	"role" text NOT NULL,
	"seen" bigint NOT NULL,
	"covered_from" timestamp with time zone,
	CONSTRAINT "summed_accounts_account_role_pk" PRIMARY KEY("account","role")
);
--> statement-breakpoint
DROP INDEX "request_reports_unsettled";--> statement-breakpoint
CREATE INDEX "counted_requests_at" ON "counted_requests" USING btree ("at");--> statement-breakpoint
CREATE INDEX "request_sums_hour" ON "request_sums" USING brin ("hour");--> statement-breakpoint
CREATE INDEX "summed_accounts_covered" ON "summed_accounts" USING btree ("covered_from");--> statement-breakpoint
CREATE INDEX "mails_ended" ON "mails" USING btree ("created_at") WHERE state <> 'waiting';--> statement-breakpoint
CREATE INDEX "request_reports_status" ON "request_reports" USING btree ("builder","money_status","at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended" ON "webhook_deliveries" USING btree ("created_at") WHERE state <> 'waiting';--> statement-breakpoint
-- Accounts that already have many requests.
INSERT INTO "summed_accounts" ("account", "role", "seen", "covered_from")
SELECT "builder", 'builder', count(*), 'infinity'::timestamptz FROM "settlements" WHERE "created_at" > now() - interval '65 days' GROUP BY 1 HAVING count(*) >= 5000
UNION ALL
SELECT "account", 'subscriber', count(*), 'infinity'::timestamptz FROM "settlements" WHERE "created_at" > now() - interval '65 days' GROUP BY 1 HAVING count(*) >= 5000;
