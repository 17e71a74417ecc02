import { type Migration } from './migration';

/**
 * What visitors did, of whom nothing is kept but a keyed hash of the browser session, the country and the kind of device:
 * once a day, session, type and item. The sums by day outlive the rows.
 */
export const analytics: Migration = {
  name: '0051-analytics',
  up: `
    CREATE TABLE analytics_visits (
      merchant_id int NOT NULL REFERENCES accounts (id),
      day date NOT NULL,
      session_hash bytea NOT NULL,
      country_iso text NOT NULL,
      device text NOT NULL,
      PRIMARY KEY (merchant_id, day, session_hash)
    );
    CREATE TABLE analytics_events (
      merchant_id int NOT NULL REFERENCES accounts (id),
      day date NOT NULL,
      session_hash bytea NOT NULL,
      type text NOT NULL,
      -- 0: of none.
      item_id int NOT NULL DEFAULT 0,
      PRIMARY KEY (merchant_id, day, session_hash, type, item_id)
    );
    CREATE INDEX analytics_visits_day ON analytics_visits (day);
    CREATE INDEX analytics_events_day ON analytics_events (day);

    CREATE FUNCTION count_visit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      VALUES (NEW.merchant_id, 'seen', NEW.day, '{total,country,device}', ARRAY['', NEW.country_iso, NEW.device], '', 1, 0);
      RETURN NULL;
    END $$;
    CREATE TRIGGER analytics_visits_counted AFTER INSERT ON analytics_visits FOR EACH ROW EXECUTE FUNCTION count_visit();
    CREATE FUNCTION count_analytics_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO figure_deltas (merchant_id, figure, day, dimensions, keys, currency, count, amount_minor)
      VALUES (NEW.merchant_id, 'events', NEW.day, '{type,item_type}', ARRAY[NEW.type, NEW.item_id || ':' || NEW.type],
        '', 1, 0);
      RETURN NULL;
    END $$;
    CREATE TRIGGER analytics_events_counted AFTER INSERT ON analytics_events FOR EACH ROW
      EXECUTE FUNCTION count_analytics_event();
  `,
};
