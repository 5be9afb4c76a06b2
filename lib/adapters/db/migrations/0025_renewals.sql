CREATE TABLE "renewals" (
	"account" text NOT NULL,
	"plan_id" text NOT NULL,
	"state" text NOT NULL,
	"delegation_id" text NOT NULL,
	"price" numeric(78,0) NOT NULL,
	"currency" text NOT NULL,
	"duration_secs" numeric(78,0) NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"failure_code" text,
	"failure_message" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone,
	CONSTRAINT "renewals_account_plan_id_pk" PRIMARY KEY("account","plan_id")
);
--> statement-breakpoint
ALTER TABLE "renewals" ADD CONSTRAINT "renewals_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewals" ADD CONSTRAINT "renewals_plan_id_plans_plan_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("plan_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewals" ADD CONSTRAINT "renewals_delegation_id_delegations_delegation_id_fk" FOREIGN KEY ("delegation_id") REFERENCES "public"."delegations"("delegation_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "renewals_due" ON "renewals" USING btree ("due_at") WHERE due_at is not null;