CREATE TABLE "made_for" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"environment" text NOT NULL,
	"chain_id" integer NOT NULL,
	"plans" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "made_for_only" CHECK ("made_for"."only")
);
