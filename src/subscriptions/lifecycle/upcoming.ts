import { type Transaction } from '../../adapters/postgres/connection';
import { renewAddedTax } from '../../tax/addedTaxes';
import { type SubscriptionFacts } from '../subscriptions.model';
import { nextCharge } from './prices';

type UpcomingTerms = Parameters<typeof nextCharge>[0] & Pick<SubscriptionFacts, 'id'>;

/** The due amount of the next period, with the tax that a charge at this time would have. */
export async function upcomingCharge(row: UpcomingTerms, at: Date, inTransaction?: Transaction): Promise<number> {
  return nextCharge({ ...row, addedTax: await renewAddedTax(row, at, inTransaction) });
}
