-- Not in `functions`, as `endpoint_keys`. Endpoints keep the letter case in which they were registered.
CREATE FUNCTION "endpoint_origins"("owner" text, "endpoints" jsonb) RETURNS bytea[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000000 AS $$
  select array(
    select distinct sha256(convert_to($1 || ' ' || substring(lower(e ->> 'url') from '^[^/]+//[^/?#]+'), 'UTF8')) from jsonb_array_elements($2) e
  )
$$;--> statement-breakpoint
CREATE INDEX "agents_origins" ON "agents" USING gin (endpoint_origins(owner, endpoints)) WITH (fastupdate=false) WHERE archived_at is null;