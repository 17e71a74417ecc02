import { billingDetailsEndpoints } from '../../tax/billingDetails.endpoints';
import { html, type Html } from '../../kit/html';
import { billingFields, type Billing, type BillingForm } from '../customer/billing';
import { regionsOf } from '../customer/regions';
import { type Complaint } from '../layout/explain';
import { addsTax, type AmountDue } from './due';
import { address, type Paywall, stageId } from './parts';

/** The details of a customer at the checkout; undefined if there is no tax. A total can need them before it is known. */
export async function findBilling({ visit }: Paywall, due: AmountDue): Promise<Billing | undefined> {
  return due.tax || addsTax(due) ? visit.call(billingDetailsEndpoints.getBillingDetails) : undefined;
}

interface BillingStep {
  paywall: Paywall;
  billing: Billing | undefined;
  choice: BillingForm;
  complaint: Complaint | undefined;
  /** Whether the total depends on the address. */
  isNeeded: boolean;
}

/** The country is known, and its region where the tax can follow the region. */
const isComplete = ({ country, region }: Billing) =>
  country !== '' && (region !== '' || regionsOf(country).length === 0);

/** Invoices name the address, and the tax follows it. A button of its own shows the tax before the payment. */
export function billingPart({ paywall, billing, choice, complaint, isNeeded }: BillingStep): Html {
  if (!billing) return html``;
  const { texts } = paywall;
  const isWrong = Object.keys(complaint?.fields ?? {}).some((name) => name.startsWith('billing_'));
  const isOpen = isWrong || (isNeeded && !isComplete(billing));
  const to = address(paywall, 'price');
  return html`<details ${isOpen ? 'open' : ''}>
    <summary>${texts.t('billing.title')}</summary>
    <div class="stack">
      ${billingFields(texts, { regionAddress: address(paywall, 'region'), stored: billing, sent: choice, complaint })}
      <button
        type="submit"
        name="do"
        value="billing"
        formaction="${to}"
        hx-post="${to}"
        hx-include="closest form"
        hx-target="#${stageId}"
        hx-swap="outerHTML"
      >
        ${texts.t('billing.apply')}
      </button>
    </div>
  </details>`;
}
