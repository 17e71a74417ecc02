import { minifySync } from '@swc/core';

/** A script for browsers without what they need not load. The names of its properties and global functions stay. */
export const minified = (script: string): string =>
  minifySync(script, { compress: { passes: 2 }, mangle: true, module: false }).code;
