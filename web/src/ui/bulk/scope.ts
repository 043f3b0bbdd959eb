/** The name under which a run is kept. */
export const scopeOf = (list: string, id: string): string => `${list}/bulk/${id}`;
