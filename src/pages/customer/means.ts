import { type Visit } from '../../kit/pages/page';
import { formNames, paymentMethods, redirectNames, type FormName, type RedirectName } from '../../kit/paymentMethods';
import { mandateEndpoints } from '../../subscriptions/methods/mandates.endpoints';
import { methodEndpoints } from '../../subscriptions/methods/methods.endpoints';
import { attempt } from '../layout/explain';
import { type Texts } from '../layout/texts';

/** The methods that can pay for a fee or in a currency. `redirects` open a page of the bank. */
export interface OfferedMeans {
  /** The methods of the form: cards, Link, or both. */
  formMethods: readonly FormName[];
  takesDebits: boolean;
  /** The last four digits of the bank account that the customer has authorised; undefined without one. */
  savedAccount: string | undefined;
  redirects: readonly RedirectName[];
}

export async function listMeans(
  { visit, texts }: { visit: Visit; texts: Texts },
  query: { access_fee_id: string } | { currency: string },
): Promise<OfferedMeans> {
  const listed = await attempt(texts, () => visit.call(methodEndpoints.listPaymentMethods, { query }));
  if (!('done' in listed))
    return { formMethods: formNames, takesDebits: false, savedAccount: undefined, redirects: [] };
  const ids = new Set(listed.done.map(({ id }) => id));
  const redirects = redirectNames.filter((name) => ids.has(paymentMethods[name].id));
  const takesDebits = ids.has(paymentMethods.direct_debit.id);
  const mandate = takesDebits ? await attempt(texts, () => visit.call(mandateEndpoints.getMandate)) : undefined;
  const savedAccount = mandate && 'done' in mandate ? mandate.done.mandate.last4 : undefined;
  return {
    formMethods: formNames.filter((name) => ids.has(paymentMethods[name].id)),
    takesDebits,
    savedAccount,
    redirects,
  };
}
