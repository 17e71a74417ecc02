import { type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type Texts } from '../../layout/texts';
import { tabs } from '../lists';

export function voucherTabs({ isOff }: Visit, { t }: Texts, current: string): Html {
  const pages = {
    ...(!isOff('vouchers') && { '/console/vouchers': t('console.sections.vouchers') }),
    ...(!isOff('vouchers') && { '/console/voucher-batches': t('console.vouchers.batches') }),
    ...(!isOff('gifts') && { '/console/gifts': t('console.vouchers.gifts') }),
  };
  return tabs(t('console.sections.vouchers'), pages, current);
}
