import { redirectTitles, type RedirectName } from '../../kit/paymentMethods';
import { type Texts } from '../layout/texts';

/** The texts of a payment that its payer completes on a page of the bank, or on that of a method such as PayPal. */
export function paymentAwayTexts({ t }: Texts, name: RedirectName | undefined) {
  if (name === undefined)
    return {
      title: t('paywall.authenticate'),
      hint: t('paywall.authenticateHint'),
      link: t('paywall.openBank'),
      waits: t('paywall.authenticateWaits'),
    };
  const method = redirectTitles[name];
  return {
    title: t('paywall.payAtBank', { method }),
    hint: t(name === 'paypal' ? 'paywall.payAtPaypalHint' : 'paywall.payAtBankHint'),
    link: t('paywall.goToMethod', { method }),
    waits: t('paywall.payAtBankWaits'),
  };
}
