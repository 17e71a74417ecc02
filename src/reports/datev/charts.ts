import { type Account } from '../books/books.model';
import { type Numbering } from './datev.model';

/** The numbers that the standard charts of DATEV have for the accounts of the journal. None of them adds tax by itself. */

export const chartNumbers: Record<Account, Record<Numbering['chart'], string>> = {
  payment_provider: { skr03: '1360', skr04: '1460' },
  bank: { skr03: '1200', skr04: '1800' },
  app_stores: { skr03: '1500', skr04: '1300' },
  tax_on_credits: { skr03: '1501', skr04: '1301' },
  customer_balances: { skr03: '1700', skr04: '3500' },
  deferred_revenue: { skr03: '0990', skr04: '3900' },
  gifts_outstanding: { skr03: '1710', skr04: '3250' },
  tax_payable: { skr03: '1770', skr04: '3800' },
  open_charges: { skr03: '1590', skr04: '1370' },
  open_refunds: { skr03: '1590', skr04: '1370' },
  revenue: { skr03: '8200', skr04: '4200' },
  refunds: { skr03: '8700', skr04: '4700' },
  chargebacks: { skr03: '2400', skr04: '6930' },
  adjustments: { skr03: '4900', skr04: '6300' },
  provider_fees: { skr03: '4970', skr04: '6855' },
};

/** A chart has four digits. In a longer numbering, DATEV adds zeros at the end. */
export function numberOf({ chart, accountLength, accountNumbers }: Numbering, account: Account): string {
  return accountNumbers[account] ?? chartNumbers[account][chart].padEnd(accountLength, '0');
}
