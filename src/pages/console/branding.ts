import { brandingEndpoints } from '../../branding/branding.endpoints';
import { imageEndpoints } from '../../images/images.endpoints';
import { merchant } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse, type Visit } from '../../kit/pages/page';
import { type AnswerOf } from '../layout/answers';
import { type Complaint } from '../layout/explain';
import { checkbox, complaints, field, form, select, submit, textarea } from '../layout/forms';
import { show } from '../layout/page';
import { type Texts, textsFor } from '../layout/texts';
import { themeOf } from '../layout/theme';
import { sampleOffer } from './brandSample';
import { formPage, type PageState, showPage } from './crudPages';
import { AnyForm, filled, isOn, switches } from './fields';
import { inConsole, type MerchantVisit, refusedIf, showInConsole } from './frame';
import { tabs } from './lists';
import { mailsAddress } from './mailPreviews';
import { type PictureFault, picturePages, pictureSection } from './pictures';

const previewAddress = '/console/branding/preview';
const previewName = 'brand-preview';
const auth = merchant('branding:write');
const place = { auth, path: '/console/branding' } as const;
const { getDefaultBrand, updateBrand } = brandingEndpoints;

const pictures = { logo: 'paywall_brand_logo', cover: 'paywall_cover_photo' } as const;
type PictureKind = keyof typeof pictures;
const kindIn = ({ params }: { params: Record<string, string> }): PictureKind => {
  if (params['kind'] === 'logo' || params['kind'] === 'cover') return params['kind'];
  throw new AppError('not_found');
};

const brandPicture = picturePages({
  auth,
  path: `${place.path}/pictures/{kind}`,
  summary: { upload: 'Uploads a logo or a cover of the brand', remove: 'Removes a logo or a cover of the brand' },
  name: kindIn,
  upload: (visit, file) => visit.call(imageEndpoints.uploadBrandImage, { query: { kind: kindIn(visit) }, file }),
  save: async (visit, url) => {
    const brand = await defaultBrand(visit);
    const stored = { ...brand, [pictures[kindIn(visit)]]: url, [ownButtonColours]: String(hasOwnButtons(brand)) };
    return visit.call(updateBrand, { body: sendable(stored, brand) });
  },
  again: (visit, fault) => brandingPage(visit, { fault }),
  next: () => `${place.path}?done=saved`,
});

export const brandingPages = {
  uploadBrandPicture: brandPicture.upload,
  removeBrandPicture: brandPicture.remove,
  showBranding: showPage({ ...place, summary: 'The branding of the merchant’s pages', show: brandingPage }),
  saveBranding: formPage({
    ...place,
    summary: 'Changes the branding of the merchant’s pages',
    work: async (visit) => visit.call(updateBrand, { body: changedBrand(await defaultBrand(visit), visit.form) }),
    again: (visit, { complaint, values }) =>
      brandingPage(visit, { complaint, values: { [ownButtonColours]: 'false', ...values } }),
    next: `${place.path}?done=saved`,
  }),
  showBrandingPreview: page({
    ...inConsole,
    auth,
    method: 'get',
    path: previewAddress,
    summary: 'A preview of the paywall with the saved branding',
    isEmbeddable: true,
    handler: async (visit) => previewPage(visit, await defaultBrand(visit)),
  }),
  tryBrandingPreview: page({
    ...inConsole,
    auth,
    method: 'post',
    path: previewAddress,
    summary: 'A preview of the paywall with the branding in the form',
    form: AnyForm,
    isEmbeddable: true,
    handler: async (visit) => previewPage(visit, brandOfForm(await defaultBrand(visit), visit.form)),
  }),
};

function defaultBrand(visit: MerchantVisit) {
  const params = { merchant_uuid: visit.caller.merchantUuid };
  return visit.call(getDefaultBrand, { params });
}

type Brand = AnswerOf<typeof getDefaultBrand>;

/** The body of the endpoint. */
function changedBrand(brand: Brand, sent: Record<string, string>): Record<string, unknown> {
  // Optional fields that the form left empty are cleared. A space clears a field that the endpoint requires.
  const emptied = { terms_url: '', paywall_footer: ' ', paywall_brand_logo: ' ', paywall_cover_photo: ' ' };
  return sendable({ ...brand, ...emptied, ...sent, ...switches(sent, boxes) }, brand);
}

/** Without the colours of the preview button, unless it has its own. */
function sendable(values: Record<string, unknown>, { id }: Brand): Record<string, unknown> {
  const body = { ...values, id };
  const unsent = isOn(values[ownButtonColours]) ? [] : previewColours;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null && !unsent.some((colour) => colour === name)),
  );
}

const colours = [
  'paywall_primary_color',
  'paywall_secondary_color',
  'paywall_buttons_bg_color',
  'paywall_buttons_text_color',
] as const;
const previewColours = ['preview_buttons_bg_color', 'preview_buttons_text_color'] as const;
/** The name of the checkbox that gives the preview button its own colours. */
const ownButtonColours = 'own_preview_buttons';
const boxes = ['preview_top_border', 'service_protected_label', 'dark_mode'] as const;
type Box = (typeof boxes)[number];
const addresses = ['paywall_brand_logo', 'paywall_cover_photo', 'terms_url'] as const;
const brandFields = ['brand_name', ...colours, ...previewColours, ...addresses, 'paywall_footer', 'template_id'];
/** The templates by number, from 1. */
const templates = ['above', 'beside', 'middle', 'below', 'low', 'bare', 'large'] as const;

type BrandingState = PageState & { fault?: PictureFault };

async function brandingPage(visit: MerchantVisit, state: BrandingState): Promise<PageResponse> {
  const { complaint, values, done, fault } = state;
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = await defaultBrand(visit);
  const brand = { ...stored, [ownButtonColours]: hasOwnButtons(stored), ...values };
  const content = html`${complaints(texts, complaint, brandFields)} ${fieldsOf(texts, brand, complaint)}
    <div class="row">
      ${submit(t('common.save'))}
      <button
        type="submit"
        class="slim"
        formaction="${previewAddress}"
        formtarget="${previewName}"
        formnovalidate
        data-preview
      >
        ${t('console.branding.tryPreview')}
      </button>
    </div>`;
  const whole = html`${brandingTabs(texts, place.path)}
    <div class="previewed">
      <div class="stack">
        <div class="card">${form(visit, { action: '/console/branding', name: 'brand', content })}</div>
        ${picturesOf(visit, texts, stored, fault)}
      </div>
      <section class="stack">
        <h2>${t('console.branding.preview')}</h2>
        <iframe
          class="preview-frame tall"
          name="${previewName}"
          src="${previewAddress}"
          title="${t('console.branding.preview')}"
        ></iframe>
      </section>
    </div>`;
  const frame = { section: 'branding', title: t('console.sections.branding'), done } as const;
  return showInConsole(visit, frame, whole, refusedIf(complaint ?? fault?.complaint));
}

function picturesOf(visit: MerchantVisit, texts: Texts, brand: Brand, fault: PictureFault | undefined): Html {
  const { t } = texts;
  const sectionOf = (kind: PictureKind) =>
    pictureSection(visit, texts, {
      name: kind,
      title: t(`console.pictures.${kind}`),
      hint: t(`console.pictures.${kind}Hint`),
      url: brand[pictures[kind]],
      action: `${place.path}/pictures/${kind}`,
      fault,
    });
  return html`${sectionOf('logo')} ${sectionOf('cover')}`;
}

export function brandingTabs({ t }: Texts, current: string): Html {
  const pages = { [place.path]: t('console.branding.pages'), [mailsAddress]: t('console.mails.title') };
  return tabs(t('console.sections.branding'), pages, current);
}

const hasOwnButtons = (brand: Brand) =>
  brand.preview_buttons_bg_color !== brand.paywall_buttons_bg_color ||
  brand.preview_buttons_text_color !== brand.paywall_buttons_text_color;

function fieldsOf(texts: Texts, brand: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(brand, complaint);
  const check = (name: Box) => checkbox({ name, label: t(`console.branding.${name}`), isChecked: isOn(brand[name]) });
  return html`${field(texts, { ...known('brand_name'), label: t('console.branding.brand_name'), isRequired: true })}
    <div class="halves">
      ${colours.map((name) => field(texts, { ...known(name), type: 'color', label: t(`console.branding.${name}`), isRequired: true }))}
    </div>
    ${checkbox({ name: ownButtonColours, label: t('console.branding.own_preview_buttons'), isChecked: isOn(brand[ownButtonColours]) })}
    <div class="halves if-own-buttons">
      ${previewColours.map((name) => field(texts, { ...known(name), type: 'color', label: t(`console.branding.${name}`), isRequired: true }))}
    </div>
    ${select(texts, {
      ...known('template_id'),
      label: t('console.branding.template_id'),
      choices: templates.map((name, index) => [String(index + 1), t(`console.branding.templates.${name}`)] as const),
      isRequired: true,
    })}
    ${addresses.map((name) => field(texts, { ...known(name), type: 'url', label: t(`console.branding.${name}`) }))}
    ${textarea(texts, { ...known('paywall_footer'), label: t('console.branding.paywall_footer') })} ${boxes.map(check)}`;
}

/** The values of the form, in the shape of a saved brand. */
function brandOfForm(stored: Brand, sent: Record<string, string>): Brand {
  const names = ['brand_name', ...colours, 'paywall_brand_logo', 'paywall_cover_photo'] as const;
  const texts = Object.fromEntries(names.map((name) => [name, sent[name] ?? stored[name]]));
  const brand = { ...stored, ...texts, template_id: Number(sent['template_id'] ?? stored.template_id) };
  const isOwn = isOn(sent[ownButtonColours]);
  return {
    ...brand,
    ...(Object.fromEntries(boxes.map((name) => [name, isOn(sent[name])])) as Record<Box, boolean>),
    preview_buttons_bg_color: (isOwn && sent['preview_buttons_bg_color']) || brand.paywall_buttons_bg_color,
    preview_buttons_text_color: (isOwn && sent['preview_buttons_text_color']) || brand.paywall_buttons_text_color,
  };
}

function previewPage(visit: Visit, brand: Brand): PageResponse {
  const theme = themeOf(brand);
  return show(
    visit,
    { title: brand.brand_name, theme, isNarrow: true, isTest: false },
    sampleOffer(textsFor(visit), theme),
  );
}
