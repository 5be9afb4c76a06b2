CREATE TABLE "shared_runs" (
	"share_id" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"run" text NOT NULL,
	"ended_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "shared_runs" ADD CONSTRAINT "shared_runs_account_accounts_address_fk" FOREIGN KEY ("account") REFERENCES "public"."accounts"("address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "shared_runs_account" ON "shared_runs" USING btree ("account");--> statement-breakpoint
CREATE INDEX "shared_runs_expires" ON "shared_runs" USING btree ("expires_at");