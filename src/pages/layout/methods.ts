import {
  findMethodName,
  findRedirectName,
  findWalletName,
  paymentMethods,
  redirectTitles,
} from '../../kit/paymentMethods';
import { type Texts } from './texts';

/** The name of a payment method for people; undefined for a card. `name`: as in the answers of the API. */
export function methodLabel({ t }: Texts, name: string): string | undefined {
  const method = findMethodName(name) ?? 'card';
  const redirect = findRedirectName(method);
  if (redirect) return redirectTitles[redirect];
  if (method === 'link' || findWalletName(method)) return paymentMethods[method].title;
  return method === 'direct_debit' ? t('paywall.directDebit') : undefined;
}
