import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { findPayee, listProviders, type OwnedProvider } from '../provider/providers';
import { findListing, insertTransaction, noteListing, type Account } from './balanceTransactions.model';
import { noteDifferences } from './differences.model';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The first listing of an account starts this long ago. */
const firstListMs = 3 * dayMs;
/** A provider can add a movement late, so each listing repeats the end of the previous one. */
const overlapMs = dayMs;

/**
 * Compares the books of each payment account with ours, once a day. The call is hourly, so that an account that did not
 * answer is compared soon after it answers again.
 */
export async function compareBalances(): Promise<void> {
  for (const owned of await listProviders()) await compareAccount(owned);
}

/** An account that does not answer, for example because its key was revoked, does not stop the others. */
async function compareAccount({ provider, merchantId = 0 }: OwnedProvider): Promise<void> {
  const account = { provider: provider.name, ownerId: merchantId };
  const now = new Date();
  const listing = await findListing(account);
  const isDue = !listing || now.getTime() - listing.listedTo.getTime() >= dayMs - hourMs / 2;
  if (!isDue || !provider.listBalance) return;
  const from = listing ? listing.listedTo.getTime() - overlapMs : now.getTime() - firstListMs;
  try {
    const payeeId = await findPayee(merchantId);
    for await (const listed of provider.listBalance(new Date(from))) await insertTransaction(account, listed, payeeId);
  } catch (error) {
    logger.error({ ...account, reason: (error as Error).message }, 'the balance of an account could not be listed');
    return;
  }
  await noteComparison(account, { from: listing?.listedFrom ?? new Date(from), to: now });
}

async function noteComparison(account: Account, listed: { from: Date; to: Date }): Promise<void> {
  const { found, gone } = await transaction(async (inTransaction) => {
    await noteListing(inTransaction, account, listed);
    return noteDifferences(inTransaction, account, listed.from);
  });
  if (found + gone > 0) logger.warn({ ...account, found, gone }, 'the books of a payment account differ from ours');
}
