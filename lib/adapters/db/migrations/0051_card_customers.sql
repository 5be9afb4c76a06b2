CREATE TABLE "card_customers" (
	"account" text PRIMARY KEY NOT NULL,
	"customer" text NOT NULL
);
