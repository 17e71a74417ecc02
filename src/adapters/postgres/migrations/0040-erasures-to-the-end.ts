import { type Migration } from './migration';

/** What an erasure needs to leave nothing behind: when money came, by real time, and that it may still go back. */
export const erasuresToTheEnd: Migration = {
  name: '0040-erasures-to-the-end',
  up: `
    -- When the outcome was written, by real time; settled_at is the merchant's.
    ALTER TABLE charges ADD COLUMN known_at timestamptz;
    -- A refund names nobody, and the books of an erased account are as open as any: money may have to go back.
    DROP TRIGGER refunds_not_erased ON refunds;
    CREATE INDEX data_captures_updated ON data_captures (updated_at);
  `,
};
