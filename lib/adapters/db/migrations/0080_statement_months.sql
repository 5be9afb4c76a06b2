CREATE TABLE "statement_marks" (
	"account" text NOT NULL,
	"token" text NOT NULL,
	"summed_to" timestamp with time zone NOT NULL,
	"sales" bigint NOT NULL,
	CONSTRAINT "statement_marks_account_token_pk" PRIMARY KEY("account","token")
);
--> statement-breakpoint
CREATE TABLE "statement_months" (
	"account" text NOT NULL,
	"token" text NOT NULL,
	"month" text NOT NULL,
	"unit" text NOT NULL,
	"came" numeric NOT NULL,
	"went" numeric NOT NULL,
	CONSTRAINT "statement_months_account_token_month_unit_pk" PRIMARY KEY("account","token","month","unit")
);
