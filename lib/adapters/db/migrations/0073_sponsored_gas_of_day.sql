CREATE TABLE "sponsored_gas" (
	"hour" timestamp with time zone PRIMARY KEY NOT NULL,
	"gas" bigint NOT NULL
);
