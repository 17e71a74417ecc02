import { type Migration } from './migration';

/**
 * Titles and names are found by any part of them, a merchant's own by one index. The two extensions come with PostgreSQL,
 * and the owner of a database may add them; where an installation left them out, a search walks the merchant's rows. They
 * are read far more often than written, so no list of late entries is kept, which each search would have to look through.
 */
export const titleSearch: Migration = {
  name: '0042-title-search',
  up: `
    DO $$
    BEGIN
      IF (SELECT count(*) = 2 FROM pg_available_extensions WHERE name IN ('pg_trgm', 'btree_gin')) THEN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS btree_gin;
        CREATE INDEX items_title_parts ON items USING gin (merchant_id, title gin_trgm_ops) WITH (fastupdate = off);
        CREATE INDEX vouchers_name_parts ON vouchers USING gin (merchant_id, name gin_trgm_ops) WITH (fastupdate = off)
          WHERE NOT is_gift AND deleted_at IS NULL;
      END IF;
    END $$;
    CREATE INDEX access_codes_item ON access_codes (item_id, created_at DESC, id DESC);
    CREATE INDEX vouchers_code_start ON vouchers (merchant_id, canonical_code text_pattern_ops)
      WHERE NOT is_gift AND deleted_at IS NULL;
  `,
};
