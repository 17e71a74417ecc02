/** The reasons that a customer can choose for a cancellation, in the order of the menu. */
export const cancelReasons = [
  'too_expensive',
  'too_little_use',
  'missing_content',
  'technical_problems',
  'other',
] as const;
