create index balances_debts on balances (account, plan_id) where debt > 0;
--> statement-breakpoint
-- Orders that were open before there was a queue, and sales from before payables.
update orders set due_at = now() where status in ('reserved', 'charging', 'requires_action');
--> statement-breakpoint
insert into payables (order_id, owner, receiver, currency, kind, amount, reference, created_at)
select o.order_id, p.owner, r.receiver, lower(o.currency), 'earned', a.amount::numeric, o.reference, now()
from orders o
join plans p on p.plan_id = o.plan_id
join plan_versions v on v.plan_id = o.plan_id and v.version = o.plan_version
cross join lateral jsonb_array_elements_text(v.price->'receivers') with ordinality r(receiver, n)
join lateral jsonb_array_elements_text(v.price->'amounts') with ordinality a(amount, n) on a.n = r.n
where o.status = 'minted' and o.scheme = 'svc:card-delegation' and o.price > 0 and a.amount::numeric > 0
order by o.order_id, r.n;
