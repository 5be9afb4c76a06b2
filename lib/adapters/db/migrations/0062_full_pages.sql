-- Holds for new pages, so it takes no time and blocks no call: the indexes are not built again.
ALTER INDEX "events_position" SET (fillfactor = 100);--> statement-breakpoint
ALTER INDEX "settlements_id" SET (fillfactor = 100);--> statement-breakpoint
ALTER INDEX "settlements_account" SET (fillfactor = 100);--> statement-breakpoint
ALTER INDEX "settlements_builder" SET (fillfactor = 100);
