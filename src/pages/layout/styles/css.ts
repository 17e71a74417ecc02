/** Stands for the text itself; the name tells the formatter what is in it. */
export const css = String.raw;
