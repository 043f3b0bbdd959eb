const customerShape = /^[A-Za-z0-9._:@+=/|-]{1,128}$/;

/** Reports whether a text is a valid customer id of the shop. Ids are case-sensitive: `Li` is not `li`. */
export const isCustomerId = (text: string): boolean => customerShape.test(text);
