CREATE TABLE "event_cuts" (
	"account" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"cut_at" timestamp with time zone NOT NULL
);
