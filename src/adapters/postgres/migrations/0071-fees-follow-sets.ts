import { type Migration } from './migration';

/**
 * A fee that is sold by a set of countries has no type of its own unless it turns the set round. Those whose type is the
 * set's were given it when they were written: they follow the set from now on.
 */
export const feesFollowSets: Migration = {
  name: '0071-fees-follow-sets',
  up: `
    ALTER TABLE access_fees
      DROP CONSTRAINT access_fees_check1,
      ADD CONSTRAINT access_fees_countries CHECK (CASE WHEN country_set_id IS NULL
        THEN (country_iso IS NULL) = (restriction_type IS NULL) ELSE country_iso IS NULL END);
    UPDATE access_fees f SET restriction_type = NULL FROM country_sets s
      WHERE s.id = f.country_set_id AND s.type = f.restriction_type;
  `,
};
