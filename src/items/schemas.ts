import { z } from 'zod';
import { formBool, formId, formInt, formList, formMetadata, formText, type MetadataBounds } from '../kit/form';
import { PageQuery, pageOf } from '../kit/page';

/** Name → form of the content, and what people call it (decisions 4, wire B.2). */
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
 * Sent by their ids, which count from 1: `Paid` is bought, `Code` entered, `Auth` free after sign-in, `DataCapture`
 * free for an address.
 */
export const accessControlTypes = ['Paid', 'Code', 'Auth', 'DataCapture'] as const;

/** How many names an item has at most, however many requests bring them. */
export const metadataNamesMax = 500;

/** A store of whatever the merchant likes (spec, glossary): the body's limit is the values' too. */
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
  is_giftable: formBool().optional(),
  gift_metadata: z.object({ description: formText({ max: 1000 }) }).optional(),
});

/** What is not sent stays as it is; a name of the metadata that is sent empty goes. */
export const ItemChanges = ItemBody.partial();

export const ItemPath = z.object({ id: formId() });
export const ItemOfMerchantPath = z.object({ merchant_uuid: z.uuid(), id: formId() });

const searchPattern = /^(title|id|external_id|external_asset_id|merchant_id|merchant_uuid):[^]{1,250}$/;

/** `search[]=key:value`: what the title holds, and what the others are. All of them must hold. */
export const SearchTerms = formList(
  z
    .string()
    .regex(searchPattern, 'must be key:value, the key one of title, id, external_id, merchant_id, merchant_uuid'),
  10,
).optional();

/** Text for active ones, for the others, or (`all`) for every one. */
export const ActiveFilter = z.union([z.enum(['active', 'inactive', 'all']), formBool()]).optional();

export const ItemQuery = PageQuery.extend({
  search: SearchTerms,
  item_type: z.enum(itemTypeNames).optional(),
  active: ActiveFilter,
});

const Metadata = z.object({ id: z.int(), name: z.string(), value: z.string() });

const GiftMetadata = z.object({
  id: z.int(),
  item_id: z.int(),
  description: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** What anyone may see of an item: never its content. Times are Unix seconds. */
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
  is_giftable: z.boolean(),
  gift_metadata: GiftMetadata.nullable(),
  created_at: z.int(),
  updated_at: z.int(),
  update_at: z.int(),
});

export const ItemWithContent = ItemCard.extend({ content: z.string() });

export const ItemPage = pageOf(ItemCard);
