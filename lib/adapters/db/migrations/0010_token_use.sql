ALTER TABLE "tokens" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
update tokens t set last_used_at = s.at
from (select jti, max(created_at) as at from settlements group by jti) s
where s.jti = t.jti;
