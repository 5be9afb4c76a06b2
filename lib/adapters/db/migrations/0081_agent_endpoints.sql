-- Not in `functions`: the index is made of it, so it never changes. By its cost the planner never computes it for each row.
CREATE FUNCTION "endpoint_keys"("owner" text, "endpoints" jsonb) RETURNS bytea[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000000 AS $$
  select array(
    select sha256(convert_to($1 || ' ' || (e ->> 'verb') || ' ' || (e ->> 'url'), 'UTF8')) from jsonb_array_elements($2) e
  )
$$;--> statement-breakpoint
CREATE INDEX "agents_endpoints" ON "agents" USING gin (endpoint_keys(owner, endpoints)) WITH (fastupdate=false) WHERE archived_at is null;