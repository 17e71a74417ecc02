import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type CardRow, type ItemRow } from './items.model';
import { type ItemCard, type ItemWithContent } from './items.schemas';

export interface ItemTypeFacts {
  id: number;
  contentType: string;
  description: string;
}

export interface ItemContext {
  merchantUuid: string;
  itemType: ItemTypeFacts;
  accessControl: { id: number; name: string; needsAccount: boolean };
}

export function presentItemCard(item: CardRow, context: ItemContext): z.output<typeof ItemCard> {
  const { metadata } = item;
  const { itemType, accessControl } = context;
  const about = { id: item.id, created_at: unixSeconds(item.createdAt), updated_at: unixSeconds(item.updatedAt) };
  return {
    ...about,
    merchant_id: item.merchantId,
    merchant_uuid: context.merchantUuid,
    is_active: item.isActive,
    active: item.isActive,
    title: item.title,
    access_control_type: { id: accessControl.id, name: accessControl.name, auth: accessControl.needsAccount },
    item_type: {
      id: itemType.id,
      name: item.itemType,
      content_type: itemType.contentType,
      host: itemType.contentType,
      description: itemType.description,
    },
    age_restriction: item.minAge === null ? null : { min_age: item.minAge },
    metadata,
    metahash: Object.fromEntries(metadata.map(({ name, value }) => [name, value])),
    template_id: item.templateId,
    external_id: item.externalId,
    external_asset_id: item.externalId,
    event_type: item.eventType,
    plan_switch_enabled: item.planSwitchEnabled,
    next_invoice_enabled: item.nextInvoiceEnabled,
    is_giftable: item.isGiftable,
    gift_metadata:
      item.giftDescription === null ? null : { ...about, item_id: item.id, description: item.giftDescription },
    update_at: about.updated_at,
  };
}

export function presentItemWithContent(item: ItemRow, context: ItemContext): z.output<typeof ItemWithContent> {
  return { ...presentItemCard(item, context), content: item.content };
}
