import { type Migration } from './migration';

/**
 * What a purchase gives whose buyer has access already: the merchant's rule for the fee, and the one that a purchase was
 * made under. Null: it follows on access to the same item.
 */
export const accessWhileOwned: Migration = {
  name: '0052-access-while-owned',
  up: `
    ALTER TABLE access_fees ADD COLUMN when_owned text
      CHECK (when_owned IN ('start_now', 'extend_current', 'extend_same_item'));
    ALTER TABLE payments ADD COLUMN when_owned text
      CHECK (when_owned IN ('start_now', 'extend_current', 'extend_same_item'));
  `,
};
