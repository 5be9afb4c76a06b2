ALTER TABLE "renewals" ADD COLUMN "key_id" text;--> statement-breakpoint
-- Who switched on the renewals of before is in the audit trail.
UPDATE renewals r SET key_id = (SELECT a.key_id FROM audit a
  WHERE a.account = r.account AND a.action = 'renewal.on' AND a.subject = r.plan_id ORDER BY a.id DESC LIMIT 1);
