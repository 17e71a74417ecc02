import { z } from 'zod';
import { brandingEndpoints } from '../../branding/endpoints';
import { type Caller, merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, type Shown, type Visit } from '../../kit/pages/page';
import { previewCard, protectedLabel } from '../customer/preview';
import { type Complaint } from '../layout/explain';
import { checkbox, complaints, field, form, submit, textarea } from '../layout/forms';
import { show } from '../layout/page';
import { type Texts, textsFor } from '../layout/texts';
import { type Theme, themeOf } from '../layout/theme';
import { AnyForm, filled, isOn, switches, type Tried } from './fields';
import { carryOut, inConsole, listQuery, showInConsole } from './frame';

const mine = { ...inConsole, auth: merchant('branding:write') } as const;

export const brandingPages = {
  showBranding: page({
    ...mine,
    method: 'get',
    path: '/console/branding',
    summary: 'How the merchant’s pages look',
    query: z.object(listQuery),
    handler: (visit) => brandingPage(visit, { done: visit.query.done }),
  }),
  saveBranding: page({
    ...mine,
    method: 'post',
    path: '/console/branding',
    summary: 'Changes how the merchant’s pages look',
    form: AnyForm,
    handler: async (visit) => {
      const { form: sent } = visit;
      const brand = await defaultBrand(visit);
      // What may be empty is empty where the form leaves it so; a blank says none of what must be sent.
      const emptied = { terms_url: '', paywall_footer: ' ', paywall_brand_logo: ' ', paywall_cover_photo: ' ' };
      const body = { ...brand, ...emptied, ...sent, ...switches(sent, boxes), id: brand.id };
      const kept = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
      return carryOut(visit, {
        work: () => visit.call(brandingEndpoints.updateBrand, { body: kept }),
        again: (complaint) => brandingPage(visit, { complaint, values: sent }),
        next: '/console/branding?done=saved',
      });
    },
  }),
  /** A fragment: the frame with what the form holds now. */
  frameBrandingPreview: page({
    ...mine,
    method: 'get',
    path: '/console/branding/preview-frame',
    summary: 'The preview’s frame',
    query: AnyForm,
    handler: (visit) => Promise.resolve(show(visit, { title: '' }, previewFrame(textsFor(visit), visit.query))),
  }),
  showBrandingPreview: page({
    ...mine,
    method: 'get',
    path: '/console/branding/preview',
    summary: 'A paywall in the colours that are tried',
    query: AnyForm,
    isEmbeddable: true,
    handler: async (visit) => {
      const tried = boxes.map((name) => [name, isOn(visit.query[name])] as const);
      const own = { ...textsOnly(visit.query), ...(Object.fromEntries(tried) as Record<Box, boolean>) };
      const brand = { ...(await defaultBrand(visit)), ...own };
      return show(
        visit,
        { title: brand.brand_name, theme: themeOf(brand), isNarrow: true },
        sample(visit, themeOf(brand)),
      );
    },
  }),
};

type MerchantVisit = Visit & { caller: Caller };

function defaultBrand(visit: MerchantVisit) {
  const params = { merchant_uuid: visit.caller.merchantUuid };
  return visit.call(brandingEndpoints.getDefaultBrand, { params });
}

const colours = [
  'paywall_primary_color',
  'paywall_secondary_color',
  'paywall_buttons_bg_color',
  'paywall_buttons_text_color',
] as const;
const boxes = ['preview_top_border', 'service_protected_label', 'dark_mode'] as const;
type Box = (typeof boxes)[number];
const addresses = ['paywall_brand_logo', 'paywall_cover_photo', 'terms_url'] as const;
const brandFields = ['brand_name', ...colours, ...addresses, 'paywall_footer'];

async function brandingPage(visit: MerchantVisit, { complaint, values, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const brand: Record<string, unknown> = { ...(await defaultBrand(visit)), ...values };
  const content = html`${complaints(texts, complaint, brandFields)} ${fieldsOf(texts, brand, complaint)}
  ${submit(t('common.save'))}`;
  const whole = html`<div class="previewed">
    <div class="card" id="brand">${form(visit, { action: '/console/branding', name: 'brand', content })}</div>
    <section class="stack">
      <h2>${t('console.branding.preview')}</h2>
      <div
        hx-get="/console/branding/preview-frame"
        hx-include="#brand form"
        hx-trigger="input from:#brand delay:400ms"
        hx-swap="innerHTML"
      >
        ${previewFrame(texts, brand)}
      </div>
    </section>
  </div>`;
  const place = { section: 'branding', title: t('console.sections.branding'), done } as const;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

function fieldsOf(texts: Texts, brand: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(brand, complaint);
  const check = (name: Box) => checkbox({ name, label: t(`console.branding.${name}`), isChecked: isOn(brand[name]) });
  return html`${field(texts, { ...known('brand_name'), label: t('console.branding.brand_name'), isRequired: true })}
    <div class="halves">
      ${colours.map((name) => field(texts, { ...known(name), type: 'color', label: t(`console.branding.${name}`), isRequired: true }))}
    </div>
    ${addresses.map((name) => field(texts, { ...known(name), type: 'url', label: t(`console.branding.${name}`) }))}
    ${textarea(texts, { ...known('paywall_footer'), label: t('console.branding.paywall_footer') })} ${boxes.map(check)}`;
}

/** Of the form's fields, what a preview needs. */
function textsOnly(sent: Record<string, unknown>): Record<string, string> {
  const wanted = ['brand_name', ...colours, 'paywall_brand_logo', 'paywall_cover_photo'];
  return Object.fromEntries(wanted.flatMap((name) => (typeof sent[name] === 'string' ? [[name, sent[name]]] : [])));
}

function previewFrame({ t }: Texts, values: Record<string, unknown>): Html {
  const tried = { ...textsOnly(values), ...switches(values, boxes) };
  const query = new URLSearchParams(tried).toString();
  return html`<iframe
    class="preview-frame"
    src="/console/branding/preview?${query}"
    title="${t('console.branding.preview')}"
  ></iframe>`;
}

function sample(visit: Visit, theme: Theme): Html {
  const texts = textsFor(visit);
  const { t, money } = texts;
  const price = t('paywall.priceEvery', { price: money(9.99, 'EUR'), time: t('periods.month', { count: 1 }) });
  const sold = { title: t('console.branding.sampleTitle'), description: t('console.branding.sampleText') };
  return html`<div class="stack">
    ${previewCard(texts, theme, { ...sold, picture: theme.coverUrl })}
    <p class="strong">${price}</p>
    <p><span class="button main full">${t('console.branding.sampleButton')}</span></p>
    <p class="centred"><a href="#content">${t('common.signIn')}</a></p>
    ${protectedLabel(texts, theme)}
  </div>`;
}
