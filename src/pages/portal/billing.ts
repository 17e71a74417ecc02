import { z } from 'zod';
import { billingDetailsEndpoints } from '../../tax/billingDetails.endpoints';
import { html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import {
  billingFields,
  type BillingForm,
  billingForm,
  billingLabels,
  regionQuery,
  saveBilling,
  showRegion,
} from '../customer/billing';
import { type Complaint } from '../layout/explain';
import { complaints, form, submit } from '../layout/forms';
import { textsFor } from '../layout/texts';
import { addressIn, good, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';

const atBilling = { ...inPortal, path: `${portalPath}/billing` } as const;

export const billingPages = {
  showBilling: page({
    ...atBilling,
    method: 'get',
    summary: 'The address and tax number that a customer’s invoices have',
    query: z.object({ done: text, lang: text }),
    handler: async (visit) => billingPage(await openPortal(visit), { isSaved: visit.query.done === 'saved' }),
  }),
  saveBilling: page({
    ...atBilling,
    method: 'post',
    summary: 'Another address or tax number for invoices',
    form: z.object(billingForm),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const complaint = await saveBilling(visit, portal.texts, visit.form);
      if (complaint) return billingPage(portal, { complaint, sent: visit.form });
      return new Redirect(addressIn(portal, 'billing', { done: 'saved' }));
    },
  }),
  showBillingRegion: page({
    ...atBilling,
    path: `${atBilling.path}/region`,
    method: 'get',
    summary: 'The region field of a country in the billing address',
    query: z.object(regionQuery),
    // After the sign-in, the visitor sees the whole page and not this part of it.
    signInAt: ({ params }) =>
      addressIn({ place: params }, 'sign-in', { next: addressIn({ place: params }, 'billing') }),
    handler: (visit) => showRegion(visit, textsFor(visit), visit.query.billing_country),
  }),
};

interface BillingState {
  isSaved?: boolean;
  complaint?: Complaint;
  sent?: BillingForm;
}

async function billingPage(portal: Portal, { isSaved, complaint, sent }: BillingState): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const stored = await visit.call(billingDetailsEndpoints.getBillingDetails);
  const fields = html`${complaints(texts, complaint, billingLabels(texts))}
    <p class="quiet">${t('billing.use')}</p>
    ${billingFields(texts, { regionAddress: addressIn(portal, 'billing/region'), stored, sent, complaint })}
    ${submit(t('common.save'))}`;
  const content = html`<section class="card stack slender">
    ${form(visit, { action: addressIn(portal, 'billing'), target: pageId, content: fields, name: 'billing' })}
  </section>`;
  const position = {
    section: 'receipts',
    title: t('billing.title'),
    back: { address: addressIn(portal, 'receipts'), text: t('portal.sections.receipts') },
    notice: isSaved === true ? good(t('billing.saved')) : undefined,
  } as const;
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}
