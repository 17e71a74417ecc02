import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { accounts } from '../books/books.schemas';
import { chartNumbers, numberOf } from './charts';
import { type DatevNumbers, findNumbers, type Numbering, saveNumbers } from './datev.model';
import { type DatevSettings, type DatevSettingsBody } from './datev.schemas';

/** Until a merchant sets the numbers, only those of the tax adviser are unknown. */
const usual = { chart: 'skr03', accountLength: 4, fiscalYearMonth: 1, accountNumbers: {} } as const;

export async function getDatevSettings({ merchantId }: Pick<Caller, 'merchantId'>) {
  return present((await findNumbers(merchantId)) ?? usual);
}

/** Replaces all numbers. An account without an own number has that of the chart. */
export async function setDatevSettings(
  caller: Caller,
  input: z.output<typeof DatevSettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const numbers: DatevNumbers = {
    consultantNumber: input.consultant_number,
    clientNumber: input.client_number,
    chart: input.chart,
    accountLength: input.account_length ?? usual.accountLength,
    fiscalYearMonth: input.fiscal_year_month ?? usual.fiscalYearMonth,
    accountNumbers: input.account_numbers ?? {},
  };
  refuseWrongLengths(numbers);
  await transaction(async (inTransaction) => {
    await saveNumbers(merchantId, numbers, inTransaction);
    await audit(inTransaction, caller, { action: 'books.datev', object: ['merchant', merchantId], requestId });
  });
  return present(numbers);
}

/** DATEV reads a shorter number as one with zeros in front, so it would be another account. */
function refuseWrongLengths({ accountLength, accountNumbers }: Numbering): void {
  const isWrong = (number: string) => number.length !== accountLength && number.length !== accountLength + 1;
  const wrong = accounts.filter((account) => isWrong(accountNumbers[account] ?? '0'.repeat(accountLength)));
  if (wrong.length === 0) return;
  const rule = `must have ${accountLength} digits, or ${accountLength + 1} for the account of a customer or supplier.`;
  const errors = wrong.map(
    (account) => [`account_numbers.${account}`, `The account_numbers.${account} ${rule}`] as const,
  );
  throw new AppError('invalid_input', { errors: Object.fromEntries(errors) });
}

type Known = Omit<DatevNumbers, 'consultantNumber' | 'clientNumber'> & Partial<DatevNumbers>;

function present(numbers: Known): z.output<typeof DatevSettings> {
  return {
    consultant_number: numbers.consultantNumber ?? null,
    client_number: numbers.clientNumber ?? null,
    chart: numbers.chart,
    account_length: numbers.accountLength,
    fiscal_year_month: numbers.fiscalYearMonth,
    accounts: accounts.map((account) => ({
      account,
      number: numberOf(numbers, account),
      own_number: numbers.accountNumbers[account] ?? '',
      chart_numbers: chartNumbers[account],
    })),
  };
}
