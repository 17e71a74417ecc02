/** The texts of the sandbox's payment form. Other languages see English. */
export interface FormTexts {
  title: string;
  how: string;
  card: string;
  wallet: string;
  link: string;
  number: string;
  expiry: string;
  code: string;
  incomplete: string;
  walletClosed: string;
  sheet: string;
  confirm: string;
  close: string;
  challenge: string;
  complete: string;
  fail: string;
}

const english: FormTexts = {
  title: 'Payment form of the sandbox',
  how: 'How do you want to pay?',
  card: 'Card',
  wallet: 'Test wallet',
  link: 'Link (test)',
  number: 'Card number',
  expiry: 'Expiry date (MM/YY)',
  code: 'Security code',
  incomplete: 'Your card details are incomplete.',
  walletClosed: 'You have closed the wallet. Nothing was charged.',
  sheet: 'Confirm with the test wallet',
  confirm: 'Confirm',
  close: 'Close',
  challenge: 'Your bank asks you to confirm (test)',
  complete: 'Approve',
  fail: 'Refuse',
};

const arabic: FormTexts = {
  title: 'نموذج الدفع التجريبي',
  how: 'كيف تريد الدفع؟',
  card: 'بطاقة',
  wallet: 'محفظة تجريبية',
  link: 'Link (تجربة)',
  number: 'رقم البطاقة',
  expiry: 'تاريخ الانتهاء (شهر/سنة)',
  code: 'رمز الأمان',
  incomplete: 'بيانات بطاقتك غير مكتملة.',
  walletClosed: 'أغلقت المحفظة. لم يُخصم شيء.',
  sheet: 'أكّد بالمحفظة التجريبية',
  confirm: 'تأكيد',
  close: 'إغلاق',
  challenge: 'يطلب مصرفك التأكيد (تجربة)',
  complete: 'موافقة',
  fail: 'رفض',
};

/** `language`: a language tag. */
export const formTexts = (language: string) => (/^ar\b/i.test(language) ? arabic : english);
