import { z } from 'zod';
import { formBool, formId, formInt, formList, formMetadata, formText, type MetadataBounds } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';

/** The item types, each with its title and the kind of its content. */
export const itemTypes = {
  html_asset: { contentType: 'html', description: 'HTML or text' },
  video_asset: { contentType: 'ovp', description: 'Hosted video' },
  file_asset: { contentType: 'file', description: 'File' },
  rss_asset: { contentType: 'rss', description: 'RSS feed' },
  package: { contentType: 'package', description: 'Package of items' },
  ...Object.fromEntries(
    [
      'inplayer',
      'brightcove',
      'accedo',
      'cloudfront',
      'dacast',
      'jw',
      'laola',
      'kaltura',
      'kaltura_mediaspace',
      'livestream',
      'panopto',
      'piksel',
      'qbrick',
      'sport1',
      'sportradar',
      'streamamg',
      'wistia',
      'wowza',
      'ooyala',
      'aws',
      'vidyard',
    ].map((platform) => [`${platform}_asset`, { contentType: 'ovp', description: 'Hosted video' }]),
  ),
} as Record<string, { contentType: string; description: string }>;

export const itemTypeNames = Object.keys(itemTypes);

/**
 * Sent as ids, counted from 1. `Paid` items are bought, `Code` items need an access code, `Auth` items are free after
 * sign-in, and `DataCapture` items are free for an email address.
 */
export const accessControlTypes = ['Paid', 'Code', 'Auth', 'DataCapture'] as const;

/** The largest number of metadata names of an item. */
export const metadataNamesMax = 500;

/** Metadata can contain any text of the merchant, so only the size limit of the body limits its values. */
const metadataBounds: MetadataBounds = {
  name: String.raw`(?=.*\S)[^\p{C}\p{Zl}\p{Zp}]{1,200}`,
  nameRule: 'must be printable text of at most 200 characters',
  value: z.string(),
  namesMax: metadataNamesMax,
};

export const ItemBody = z.object({
  item_type: z.enum(itemTypeNames),
  title: formText({ max: 250 }),
  content: z.string().max(90_000).optional(),
  access_control_type_id: formInt().pipe(z.int().min(1).max(accessControlTypes.length)).optional(),
  metadata: formMetadata(metadataBounds).optional(),
  external_asset_id: formText({ max: 250 }).optional(),
  template_id: formId().optional(),
  event_type: formText({ max: 100 }).optional(),
  plan_switch_enabled: formBool().optional(),
  /** Whether consumers may switch immediately to a more expensive plan and pay the difference with the next invoice. */
  next_invoice_enabled: formBool().optional(),
  is_giftable: formBool().optional(),
  gift_metadata: z.object({ description: formText({ max: 1000 }) }).optional(),
});

/** Fields that are not sent do not change. A metadata name with an empty value is deleted. */
export const ItemChanges = ItemBody.partial();

export const ItemPath = z.object({ id: formId() });
export const ItemOfMerchantPath = z.object({ merchant_uuid: z.uuid(), id: formId() });

const searchPattern = /^(title|id|external_id|external_asset_id|merchant_id|merchant_uuid):[^]{1,250}$/;

/** `search[]=key:value`: a title contains its value, other fields equal theirs. All terms must match. */
export const SearchTerms = formList(
  z
    .string()
    .regex(searchPattern, 'must be key:value, the key one of title, id, external_id, merchant_id, merchant_uuid'),
  10,
).optional();

/** Selects active items, inactive items, or all items. */
export const ActiveFilter = z.union([z.enum(['active', 'inactive', 'all']), formBool()]).optional();

/** The keys by which items and packages are sorted; `title` ignores the case of A to Z. */
export const itemSorts = ['created', 'title'] as const;

export const ItemQuery = CursorQuery.extend({
  search: SearchTerms,
  item_type: z.enum(itemTypeNames).optional(),
  active: ActiveFilter,
  ...sortFields(itemSorts),
});

const Metadata = z.object({ id: z.int(), name: z.string(), value: z.string() });

const GiftMetadata = z.object({
  id: z.int(),
  item_id: z.int(),
  description: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** The public fields of an item, without its content. Times are Unix seconds. */
export const ItemCard = z.object({
  id: z.int(),
  merchant_id: z.int(),
  merchant_uuid: z.uuid(),
  is_active: z.boolean(),
  active: z.boolean(),
  title: z.string(),
  access_control_type: z.object({ id: z.int(), name: z.string(), auth: z.boolean() }),
  item_type: z.object({
    id: z.int(),
    name: z.string(),
    content_type: z.string(),
    host: z.string(),
    description: z.string(),
  }),
  age_restriction: z.object({ min_age: z.int() }).nullable(),
  metadata: z.array(Metadata),
  metahash: z.record(z.string(), z.string()),
  template_id: z.int().nullable(),
  external_id: z.string().nullable(),
  external_asset_id: z.string().nullable(),
  event_type: z.string().nullable(),
  plan_switch_enabled: z.boolean(),
  next_invoice_enabled: z.boolean(),
  is_giftable: z.boolean(),
  gift_metadata: GiftMetadata.nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  update_at: z.int(),
});

export const ItemWithContent = ItemCard.extend({ content: z.string() });

export const ItemPage = cursorPageOf(ItemCard);
