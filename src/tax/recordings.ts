import { type RecordingResult, type TaxMaker } from '../adapters/cardProviders/taxes';
import {
  closeReversal,
  dropDeclined,
  listOpenReversals,
  listUnrecorded,
  noteRecorded,
  noteRefused,
  type OpenReversal,
  type UnrecordedSale,
} from './recordings.model';

/** Sales and refunds whose tax the card provider has calculated are recorded there, so that its reports contain them. */

/** The tax of an account. Undefined if the account is not connected any more. */
export type FindTaxes = (of: { merchantId: number; provider: string }) => Promise<TaxMaker | undefined>;

const pageSize = 100;
const gone: RecordingResult = { outcome: 'unavailable' };

/**
 * Records paid charges, then their refunds and lost chargebacks. The call is hourly. References and keys are derived from the
 * charge and the refund, so a repetition records nothing twice. An account that does not answer is asked again in the next hour.
 */
export async function recordTaxes(find: FindTaxes): Promise<void> {
  await dropDeclined();
  const silent = new Set<string>();
  await eachOf(
    listUnrecorded,
    ({ chargeId }) => chargeId,
    (sale) => asking(silent, sale, () => recordSale(sale, find)),
  );
  await eachOf(
    listOpenReversals,
    ({ id }) => id,
    (one) => asking(silent, one, () => recordReversal(one, find)),
  );
}

async function eachOf<Row>(
  list: (afterId: number, limit: number) => Promise<Row[]>,
  idOf: (row: Row) => number,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  for (let afterId = 0; ;) {
    const rows = await list(afterId, pageSize);
    for (const row of rows) await work(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    afterId = idOf(last);
  }
}

/** An account that did not answer once is not asked again in this hour. */
async function asking(
  silent: Set<string>,
  { merchantId, provider }: { merchantId: number; provider: string },
  work: () => Promise<boolean>,
): Promise<void> {
  const account = `${merchantId} ${provider}`;
  if (!silent.has(account) && !(await work())) silent.add(account);
}

/** Whether the account has answered. */
async function recordSale(sale: UnrecordedSale, find: FindTaxes): Promise<boolean> {
  const { chargeId, calculation, reference } = sale;
  const result = (await (await find(sale))?.record({ calculation, reference })) ?? gone;
  if (result.outcome === 'recorded') await noteRecorded(chargeId, result);
  if (result.outcome === 'refused') await noteRefused(chargeId, result.message);
  return result.outcome !== 'unavailable';
}

async function recordReversal(reversal: OpenReversal, find: FindTaxes): Promise<boolean> {
  const { id, transaction, line, reference, amountMinor, taxMinor, currency, isUndone } = reversal;
  // What the provider has never recorded needs no reversal.
  if (transaction === '' || isUndone) return closed(id, 'unneeded');
  if (amountMinor <= 0) return closed(id, 'refused', 'A chargeback was won after its loss was recorded.');
  const maker = await find(reversal);
  const result = (await maker?.reverse({ transaction, line, reference, amountMinor, taxMinor, currency })) ?? gone;
  if (result.outcome === 'unavailable') return false;
  return result.outcome === 'recorded' ? closed(id, 'recorded') : closed(id, 'refused', result.message);
}

async function closed(id: number, state: 'recorded' | 'unneeded' | 'refused', problem?: string): Promise<true> {
  await closeReversal(id, state, problem);
  return true;
}
