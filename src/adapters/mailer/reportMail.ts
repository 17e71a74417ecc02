import { type Content, type MailLanguage } from './layout';

/** A report that is mailed again and again, in the language that its schedule names. */

export type ReportLanguage = MailLanguage;
export type ReportName =
  'summary' | 'revenue' | 'subscriptions' | 'mrr' | 'customers' | 'trials' | 'dunning' | 'transactions';

export interface ReportMail {
  report: ReportName;
  language: ReportLanguage;
  /** Days in UTC, `YYYY-MM-DD`, both inclusive. */
  from: string;
  to: string;
  /** Of the console. */
  url: string;
  /** Else it was too long for a mail. */
  isAttached: boolean;
}

interface Words {
  names: Record<ReportName, string>;
  subject: (name: string, range: string, brandName: string) => string;
  attached: (name: string, range: string) => string;
  tooLong: (name: string, range: string) => string;
  link: string;
  closing: string;
}

const words: Record<ReportLanguage, Words> = {
  en: {
    names: {
      summary: 'Summary',
      revenue: 'Revenue',
      subscriptions: 'Subscriptions',
      mrr: 'Monthly recurring revenue',
      customers: 'Customers',
      trials: 'Trials',
      dunning: 'Failed payments',
      transactions: 'Transactions',
    },
    subject: (name, range, brandName) => `${name} of ${brandName}, ${range}`,
    attached: (name, range) => `Attached is the report “${name}” for ${range}, as CSV. Days are days in UTC.`,
    tooLong: (name, range) => `The report “${name}” for ${range} is too long for a mail. The console has all of it.`,
    link: 'Open the reports',
    closing: 'You get this mail because a schedule in the console names your address.',
  },
  ar: {
    names: {
      summary: 'الملخص',
      revenue: 'الإيرادات',
      subscriptions: 'الاشتراكات',
      mrr: 'الإيراد الشهري المتكرر',
      customers: 'العملاء',
      trials: 'الفترات التجريبية',
      dunning: 'المدفوعات الفاشلة',
      transactions: 'المعاملات',
    },
    subject: (name, range, brandName) => `${name} لدى ${brandName}، ${range}`,
    attached: (name, range) => `مرفق تقرير «${name}» عن ${range} بصيغة CSV. الأيام محسوبة بالتوقيت العالمي المنسق.`,
    tooLong: (name, range) => `تقرير «${name}» عن ${range} أطول من أن يُرسل بالبريد. تجده كاملاً في لوحة التحكم.`,
    link: 'افتح التقارير',
    closing: 'تصلك هذه الرسالة لأن جدولاً في لوحة التحكم يذكر عنوانك.',
  },
};

export function reportContent(mail: ReportMail, brandName: string): Content {
  const { names, subject, attached, tooLong, link, closing } = words[mail.language];
  const name = names[mail.report];
  const range = rangeText(mail);
  return {
    language: mail.language,
    subject: subject(name, range, brandName),
    opening: (mail.isAttached ? attached : tooLong)(name, range),
    link: { url: mail.url, label: link },
    closing,
  };
}

/** A day as `3 November 2026`, a range as its ends. */
function rangeText({ language, from, to }: ReportMail): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return from === to ? format.format(new Date(from)) : format.formatRange(new Date(from), new Date(to));
}
