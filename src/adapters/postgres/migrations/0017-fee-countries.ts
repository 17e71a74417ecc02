import { type Migration } from './migration';

/** A set of countries that a fee is sold by cannot be deleted, and an item's age is part of its card in every memory. */
export const feeCountries: Migration = {
  name: '0017-fee-countries',
  up: `
    ALTER TABLE access_fees
      ADD FOREIGN KEY (merchant_id, country_set_id) REFERENCES country_sets (merchant_id, id);
    CREATE INDEX access_fees_country_set ON access_fees (country_set_id) WHERE country_set_id IS NOT NULL;

    CREATE TRIGGER age_restrictions_of_items AFTER INSERT OR UPDATE OR DELETE ON age_restrictions
      FOR EACH ROW EXECUTE FUNCTION notify_item();
  `,
};
