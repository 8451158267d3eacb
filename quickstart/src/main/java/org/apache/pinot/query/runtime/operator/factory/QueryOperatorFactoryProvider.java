package org.apache.pinot.query.runtime.operator.factory;

/**
 * Stands in for the interface of this name in {@code pinot-query-runtime}, which no repository
 * serves. It belongs to the multi-stage engine, which is off in the embedded Pinot; the broker only
 * passes it on.
 */
public interface QueryOperatorFactoryProvider {}
