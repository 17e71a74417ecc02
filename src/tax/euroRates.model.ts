import { statement } from '../adapters/postgres/statement';

/** The rate of a currency for the last day of a period. */
export interface EuroRate {
  currency: string;
  /** The day for which the rate is asked, `YYYY-MM-DD`. */
  day: string;
  /** The day on which the European Central Bank published the rate: the same day, or a later one. */
  publishedOn: string;
  /** Units of the currency for one euro, as the bank writes it. */
  rate: string;
}

const listStatement = statement<EuroRate>(
  'euro_rates',
  `SELECT currency, to_char(day, 'YYYY-MM-DD') AS day, to_char(published_on, 'YYYY-MM-DD') AS "publishedOn", rate::text AS rate
   FROM euro_rates WHERE day = ANY($1::date[]) AND currency = ANY($2::text[])`,
);

export const listEuroRates = (days: readonly string[], currencies: readonly string[]): Promise<EuroRate[]> =>
  listStatement([days, currencies]);

const saveStatement = statement(
  'euro_rates_save',
  `INSERT INTO euro_rates (currency, day, published_on, rate) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);

/** The first saved rate stands, so that a return has the same amounts for ever. */
export async function saveEuroRate({ currency, day, publishedOn, rate }: EuroRate): Promise<void> {
  await saveStatement([currency, day, publishedOn, rate]);
}
