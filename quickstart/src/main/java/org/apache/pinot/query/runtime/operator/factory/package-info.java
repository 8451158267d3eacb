/** Stand-ins for Pinot's multi-stage engine, which the embedded Pinot does without. */
package org.apache.pinot.query.runtime.operator.factory;
