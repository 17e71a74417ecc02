import { statement } from '../../adapters/postgres/statement';

const setStatement = statement<{ type: 'whitelist' | 'blacklist' }>(
  'country_set_type',
  'SELECT type FROM country_sets WHERE id = $1 AND merchant_id = $2',
);

/** Whether a country set is a whitelist or a blacklist. Undefined if the merchant has no such set. */
export async function findCountrySetType(merchantId: number, setId: number) {
  const [set] = await setStatement([setId, merchantId]);
  return set?.type;
}
