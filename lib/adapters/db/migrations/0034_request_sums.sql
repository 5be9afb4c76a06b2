CREATE TABLE "counted_requests" (
	"request_key" text PRIMARY KEY NOT NULL,
	"builder" text NOT NULL,
	"account" text,
	"at" timestamp with time zone NOT NULL,
	"plan_id" text,
	"agent_id" text,
	"is_agent_reported" boolean NOT NULL,
	"is_test" boolean NOT NULL,
	"status" text NOT NULL,
	"is_delivered" boolean NOT NULL,
	"credits" numeric(78,0) NOT NULL
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
	"covered_from" timestamp with time zone NOT NULL,
	"closed_before" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "counted_requests_builder" ON "counted_requests" USING btree ("builder","status","at");--> statement-breakpoint
CREATE INDEX "counted_requests_at" ON "counted_requests" USING btree ("at");--> statement-breakpoint
CREATE INDEX "request_sums_hour" ON "request_sums" USING brin ("hour");