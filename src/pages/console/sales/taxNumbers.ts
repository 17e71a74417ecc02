import { type Caller } from '../../../kit/auth';
import { unixSeconds } from '../../../kit/time';
import { findCustomerNumber } from '../../../tax/removedNumbers';
import { type Texts } from '../../layout/texts';

/** The tax number of a customer, with the proof of its confirmation, and a number that was removed. Empty without any. */
export async function taxNumberText(caller: Caller, texts: Texts, accountId: number): Promise<string> {
  const found = await findCustomerNumber(caller, accountId);
  if (!found) return '';
  const { number, confirmedAt, consultation, removed, removedAt } = found;
  if (number !== '' && confirmedAt === null) return number;
  if (confirmedAt !== null) return `${number} · ${confirmationText(texts, unixSeconds(confirmedAt), consultation)}`;
  if (removedAt === null) return '';
  return texts.t('console.customers.numberRemoved', { number: removed, date: texts.date(unixSeconds(removedAt)) });
}

/** `confirmed by VIES on 3 November 2026 (WAPIAAAAX1)`. The time is in Unix seconds. */
export function confirmationText({ t, date }: Texts, confirmedAt: number, consultation: string): string {
  const text = t('console.invoices.confirmed', { date: date(confirmedAt) });
  return consultation === '' ? text : `${text} (${consultation})`;
}
