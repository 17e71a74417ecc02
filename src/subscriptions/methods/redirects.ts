import { getAccountRow } from '../../accounts/accounts';
import { MisconfiguredProvider } from '../../adapters/cardProviders/provider';
import { isWallet, type PageMethod } from '../../adapters/cardProviders/redirects';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { paymentMethods } from '../../kit/paymentMethods';
import { getCustomer, refuseMisconfigured, type PayingCard } from '../cards';
import { getProvider } from '../provider/providers';
import { rememberEntry } from '../savedCards';
import { insertRedirect } from './redirects.model';

/** Payments on a page of the payer's bank or of PayPal. The page's address comes with the event that the purchase requires an action. */

/** What pays for a purchase on a page. Each purchase has its own, because each payment is made on the page. */
export async function prepareRedirect(caller: Caller, method: PageMethod): Promise<PayingCard> {
  const { merchantId, accountId, accountUuid } = caller;
  const provider = await getProvider(merchantId);
  if (!provider.redirects) throw new AppError('payment_method_not_offered');
  const { email, fullName } = await getAccountRow(accountId);
  const name = fullName.trim() || email;
  try {
    const owner = { accountUuid, customer: await getCustomer(caller, provider) };
    const token = await provider.redirects.begin(method, { owner, name, email });
    const brand = isWallet(method) ? paymentMethods[method].title : method;
    const about = { merchantId, accountId, provider: provider.name, method, brand, token, holderName: name };
    const save: PayingCard['save'] = async (inTransaction) => {
      const id = await insertRedirect(inTransaction, about);
      await rememberEntry(inTransaction, caller, id);
      return id;
    };
    return { provider: provider.name, token, isSingleUse: true, save };
  } catch (error) {
    if (!(error instanceof MisconfiguredProvider)) throw error;
    throw await refuseMisconfigured({ merchantId, provider: provider.name }, error.fault);
  }
}
