import { html, type Html } from '../../../kit/html';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, select, textarea } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { asText, filled, isOn, switches, type Values } from '../fields';
import { folded } from '../frame';

/** The form of an item. Each type of item has its own fields. */

const typeNames = [
  'html_asset',
  'video_asset',
  'file_asset',
  'rss_asset',
  'jw_asset',
  'wistia_asset',
  'kaltura_asset',
  'brightcove_asset',
  'cloudfront_asset',
] as const;
const controls = ['Paid', 'Code', 'Auth', 'DataCapture'] as const;
const switchNames = ['is_giftable', 'plan_switch_enabled', 'next_invoice_enabled'] as const;
const previewNames = ['preview_title', 'preview_description', 'preview_image'] as const;
const ownNames = [
  ...['title', 'item_type', 'access_control_type_id', 'content', 'external_asset_id', 'gift_description'],
  ...previewNames,
];

/** The fields of an item that its form shows or sends back unchanged. */
export interface StoredItem {
  title: string;
  content: string;
  item_type: { name: string };
  access_control_type: { id: number };
  external_asset_id: string | null;
  template_id: number | null;
  event_type: string | null;
  is_giftable: boolean;
  plan_switch_enabled: boolean;
  next_invoice_enabled: boolean;
  gift_metadata: { description: string } | null;
  metahash: Record<string, string>;
}

export function storedValues(item: StoredItem): Values {
  return {
    ...item.metahash,
    title: item.title,
    content: item.content,
    item_type: item.item_type.name,
    access_control_type_id: item.access_control_type.id,
    external_asset_id: item.external_asset_id ?? '',
    is_giftable: item.is_giftable,
    plan_switch_enabled: item.plan_switch_enabled,
    next_invoice_enabled: item.next_invoice_enabled,
    gift_description: item.gift_metadata?.description,
  };
}

/** The body of the whole item. Empty fields are cleared; fields that the form does not have stay unchanged. */
export function itemBody(sent: Values, stored?: StoredItem): Record<string, unknown> {
  const { gift_description: description } = sent;
  const previews = previewNames.map((name) => [name, asText(sent[name]) ?? ''] as const);
  const metadata = { ...stored?.metahash, ...Object.fromEntries(previews) };
  const filledIn = Object.entries(metadata).filter(([, value]) => value !== '');
  return {
    title: sent['title'],
    item_type: sent['item_type'] ?? stored?.item_type.name,
    access_control_type_id: sent['access_control_type_id'] ?? stored?.access_control_type.id,
    content: sent['content'],
    external_asset_id: sent['external_asset_id'],
    template_id: stored?.template_id,
    event_type: stored?.event_type,
    ...switches(sent, switchNames),
    ...(description !== undefined && { gift_metadata: { description } }),
    ...(filledIn.length > 0 && { metadata: Object.fromEntries(filledIn) }),
  };
}

/** `isPackage`: the content of a package is its items, and it has its own fees. */
export function itemFields(
  texts: Texts,
  values: Values,
  { complaint, isPackage = false }: { complaint?: Complaint | undefined; isPackage?: boolean },
): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  return html`${complaints(texts, complaint, ownNames)}
  ${field(texts, { ...known('title'), label: t('console.fields.title'), isRequired: true, maxlength: 250 })}
  ${isPackage ? '' : kindFields(texts, values, complaint)} ${kindPart(texts, values, { complaint, isPackage })}
  ${previewPart(texts, values, complaint)} ${sellingPart(texts, values, complaint)}`;
}

function kindFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const current = asText(values['item_type']) ?? typeNames[0];
  const names = (typeNames as readonly string[]).includes(current) ? typeNames : [...typeNames, current];
  return html`<div class="halves">
    ${select(texts, {
      ...known('item_type'),
      label: t('console.fields.type'),
      choices: names.map((name) => [name, named(texts, 'itemTypes', name)] as const),
      isRequired: true,
    })}
    ${select(texts, {
      ...known('access_control_type_id'),
      label: t('console.fields.accessControl'),
      choices: controls.map((name, index) => [String(index + 1), t(`console.accessControl.${name}`)] as const),
      isRequired: true,
    })}
  </div>`;
}

const changes = ['#field-item_type', '#field-access_control_type_id'].map((id) => `change from:${id}`).join(', ');

/** The fields of the item's type and access control. They are loaded again after a change of one of the two. */
export function kindPart(
  texts: Texts,
  values: Values,
  { complaint, isPackage = false }: { complaint?: Complaint | undefined; isPackage?: boolean },
): Html {
  const { t } = texts;
  const control = controls[Number(values['access_control_type_id'] ?? 1) - 1] ?? 'Paid';
  const note = isPackage ? '' : html`<p class="hint">${t(`console.items.openedBy.${control}`)}</p>`;
  return html`<div
    id="item-kind"
    class="stack"
    hx-post="/console/items/fields"
    hx-trigger="${changes}"
    hx-include="closest form"
    hx-sync="this:replace"
    hx-swap="outerHTML"
  >
    ${note} ${contentFields(texts, values, complaint, isPackage)}
  </div>`;
}

function contentFields(texts: Texts, values: Values, complaint: Complaint | undefined, isPackage: boolean): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const type = asText(values['item_type']) ?? typeNames[0];
  const simple = (['html_asset', 'video_asset', 'file_asset', 'rss_asset'] as const).find((name) => name === type);
  const kind = isPackage ? 'package' : (simple ?? 'platform');
  const external =
    kind === 'platform' &&
    field(texts, {
      ...known('external_asset_id'),
      label: t('console.fields.externalId'),
      hint: t('console.items.externalHint'),
    });
  const content = {
    ...known('content'),
    label: t(`console.items.contents.${kind}`),
    hint: t(`console.items.contentHints.${kind}`),
  };
  return html`${external}${kind === 'file_asset' ? field(texts, { ...content, type: 'url' }) : textarea(texts, content)}`;
}

function previewPart(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const content = html`<div class="stack">
    ${field(texts, { ...known('preview_title'), label: t('console.items.previewTitle') })}
    ${textarea(texts, { ...known('preview_description'), label: t('console.items.previewText') })}
    ${field(texts, { ...known('preview_image'), type: 'url', label: t('console.items.previewImage'), hint: t('console.items.previewImageHint') })}
  </div>`;
  const isOpen = previewNames.some((name) => (values[name] ?? '') !== '' || complaint?.fields[name] !== undefined);
  return folded(t('console.items.preview'), content, isOpen);
}

function sellingPart(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const { name, value } = filled(values, complaint)('gift_description');
  return html`${checkbox({ name: 'is_giftable', label: t('console.items.giftable'), isChecked: isOn(values['is_giftable']) })}
  ${checkbox({ name: 'plan_switch_enabled', label: t('console.items.switchable'), isChecked: isOn(values['plan_switch_enabled']) })}
  ${checkbox({ name: 'next_invoice_enabled', label: t('console.items.nextInvoice'), isChecked: isOn(values['next_invoice_enabled']) })}
  ${field(texts, { name, value, complaint, label: t('console.items.giftText'), alsoNamed: ['gift_metadata.description'] })}`;
}
