CREATE TABLE "open_payables" (
	"id" bigint PRIMARY KEY NOT NULL,
	"owner" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "owed_sums" (
	"owner" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric NOT NULL,
	"cleared" numeric NOT NULL,
	"converted" numeric NOT NULL,
	CONSTRAINT "owed_sums_owner_currency_pk" PRIMARY KEY("owner","currency")
);
--> statement-breakpoint
CREATE INDEX "open_payables_owner" ON "open_payables" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "payables_taken" ON "payables" USING btree ("owner","currency") WHERE kind in ('refunded', 'reversed');--> statement-breakpoint
create or replace function open_payable() returns trigger language plpgsql as $$
begin
  insert into open_payables (id, owner) values (new.id, new.owner);
  if new.kind = 'earned' and new.order_id is not null then
    insert into clearings (order_id, due_at) values (new.order_id, app_now()) on conflict (order_id) do nothing;
  end if;
  return null;
end $$;--> statement-breakpoint
create or replace trigger payables_open after insert on payables for each row execute function open_payable();--> statement-breakpoint
insert into clearings (order_id, due_at)
select distinct y.order_id, now() from payables y left join clearings c using (order_id)
where y.kind = 'earned' and y.order_id is not null and c.order_id is null;--> statement-breakpoint
insert into open_payables (id, owner)
select y.id, y.owner from payables y left join clearings c using (order_id)
where y.order_id is not null and (c.available_on is null or c.available_on > now() - interval '1 day');--> statement-breakpoint
insert into owed_sums (owner, currency, amount, cleared, converted)
select y.owner, y.currency, sum(s.amount), coalesce(sum(s.amount) filter (where not s.is_converted), 0), coalesce(sum(s.amount) filter (where s.is_converted), 0)
from payables y left join clearings c using (order_id)
cross join lateral (select case when y.kind in ('earned', 'restored', 'returned') then y.amount else -y.amount end as amount,
  coalesce(c.currency <> y.currency, false) as is_converted) s
where not exists (select 1 from open_payables t where t.id = y.id) group by 1, 2;
